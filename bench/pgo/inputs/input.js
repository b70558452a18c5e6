function fib(n){return n<2?n:fib(n-1)+fib(n-2)}
var o={};for(var i=0;i<4000;i++){o["k"+(i%500)]=(o["k"+(i%500)]||0)+i}
var s="";for(var k in o){s+=k+":"+o[k]+","}
var a=[];for(var i=0;i<3000;i++)a.push((i*7919)%10007);a.sort(function(x,y){return x-y});
var t=0;for(var i=0;i<a.length;i++)t+=a[i]*i%97;
print(fib(16),s.length,t,s.split(",").length);
