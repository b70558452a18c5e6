// Instructions that disassembly/arm64_later.cpp knows, and some it must leave to the library. See llvm_objdump_test.cpp.
        paciasp
        pacibsp
        autibsp
        autiasp
        paciaz
        pacibz
        autiaz
        autibz
        pacia1716
        pacib1716
        autia1716
        autib1716
        xpaclri
        retaa
        retab
        eretaa
        eretab
        braa    x1, x2
        brab    x3, sp
        braaz   x4
        brabz   x5
        blraa   x1, x2
        blrab   x6, x7
        blraaz  x1
        blrabz  x1
        pacia   x0, x1
        pacib   x2, sp
        pacda   x0, x1
        pacdb   x0, x1
        autia   x0, x1
        autib   x0, x1
        autda   x0, x1
        autdb   x0, x1
        paciza  x1
        pacizb  x2
        pacdza  x3
        pacdzb  x4
        autiza  x5
        autizb  x6
        autdza  x7
        autdzb  x8
        xpaci   x9
        xpacd   x10
        ldraa   x0, [x1]
        ldraa   x0, [x1, #8]
        ldrab   x0, [x1, #-4096]!
        ldrab   xzr, [sp, #4088]
        ldraa   x0, [x1, #0]!
        bti
        bti     c
        bti     j
        bti     jc
        csdb
        esb
        psb     csync
        tsb     csync
        sb
        ssbb
        udf     #0
        udf     #65535
        cas     w0, w1, [x2]
        casa    x0, x1, [x2]
        casl    x0, xzr, [sp]
        casal   w0, w1, [x2]
        casb    w0, w1, [x2]
        casalh  w0, w1, [x2]
        casp    w0, w1, w2, w3, [x4]
        caspa   x0, x1, x2, x3, [x4]
        caspl   x20, x21, x22, x23, [sp]
        caspal  x0, x1, x2, x3, [x4]
        swp     x0, x1, [x2]
        swpa    w0, w1, [x2]
        swpl    w0, wzr, [x2]
        swpal   x0, x1, [x2]
        swpb    w0, w1, [x2]
        swpalh  w0, w1, [sp]
        ldadd   w0, w1, [x2]
        ldaddal x0, x1, [x2]
        ldaddab w0, wzr, [x2]
        ldclr   w0, w1, [x2]
        ldclral x0, x1, [x2]
        ldeor   w0, w1, [x2]
        ldeorh  w0, w1, [x2]
        ldset   w0, w1, [x2]
        ldsetl  x0, x1, [x2]
        ldsmax  x0, x1, [x2]
        ldsmin  x0, x1, [x2]
        ldumax  x0, x1, [x2]
        ldumin  x0, x1, [x2]
        stadd   w0, [x2]
        staddl  x0, [x2]
        stclrb  w0, [x2]
        steorlh w0, [x2]
        stset   x0, [sp]
        stsmax  w0, [x2]
        stumin  w0, [x2]
        ldapr   x0, [x1]
        ldapr   w0, [sp]
        ldaprb  w0, [x1]
        ldaprh  w0, [x1]
        ldapur  x0, [x1, #8]
        ldapur  w0, [x1, #-256]
        ldapurb w0, [x1, #255]
        ldapurh w0, [x1]
        ldapursb w0, [x1, #1]
        ldapursb x0, [x1, #1]
        ldapursh w0, [x1, #2]
        ldapursh x0, [x1, #2]
        ldapursw x0, [x1, #4]
        stlur   x0, [x1, #8]
        stlur   w0, [sp]
        stlurb  w0, [x1]
        stlurh  w0, [x1, #-2]
        sdot    v0.4s, v1.16b, v2.16b
        sdot    v0.2s, v1.8b, v2.8b
        udot    v30.4s, v1.16b, v31.16b
        udot    v0.2s, v1.8b, v2.4b[1]
        sdot    v0.4s, v1.16b, v31.4b[3]
        ldxr    x0, [x1]
        stlxr   w2, x0, [x1]
        ldar    x0, [x1]
        nop
        yield
        wfe
        movi    v0.2d, #0
        ld1     { v0.16b, v1.16b }, [x0], #32
        ld4     { v0.b, v1.b, v2.b, v3.b }[3], [x0]
        tbl     v0.16b, { v1.16b, v2.16b }, v3.16b
        ldr     q0, [x0, x1, lsl #4]
        ldr     w0, [x0, w1, sxtw #2]
        ldr     x0, [x1, #-8]!
        ldp     x29, x30, [sp], #16
        add     x0, x1, w2, uxtw #2
        add     x0, x1, #1, lsl #12
        movk    x0, #43981, lsl #16
        ubfx    x0, x1, #3, #4
        bfi     x0, x1, #2, #3
        sbfiz   x0, x1, #2, #3
        extr    x0, x1, x2, #3
        ccmp    x0, #1, #2, eq
        fmov    d0, #1.0
        fcmp    d0, #0.0
        scvtf   v0.4s, v1.4s, #3
        shl     v0.4s, v1.4s, #3
        shll    v0.8h, v1.8b, #8
        mov     v0.s[1], v1.s[2]
        mov     v0.d[1], x3
        mov     x0, v0.d[1]
        mov     x0, #-2
        mov     w1, #0xffff0000
        mrs     x0, pmccntr_el0
        msr     fpcr, x1
        dmb     ish
        svc     #0
        brk     #0xf000
        prfm    pldl1keep, [x0]
        adr     x0, .+4
        adrp    x0, .+4096
        tbz     w0, #3, .+8
        ldr     x0, .+8
        cbnz    x1, .-64
